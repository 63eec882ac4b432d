#include "tools/runtime/threads/worker_threads.h"

#include <chrono>
#include <utility>

#include "tools/runtime/threads/denormals.h"
#include "tools/runtime/threads/spin.h"

namespace tfcarve {

thread_local const WorkerThreads::Thread* WorkerThreads::current_ = nullptr;

WorkerThreads::~WorkerThreads() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
    has_work_ = true;
  }
  woken_.notify_all();
  for (const Thread& thread : threads_) pthread_join(thread.handle, nullptr);
}

// Tries for a while without sleeping: the mutex is held for less time than it
// takes to wake a thread.
std::unique_lock<std::mutex> WorkerThreads::Lock() {
  constexpr int kTries = 100;
  for (int i = 0; i < kTries; ++i) {
    std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
    if (lock.owns_lock()) return lock;
    Pause();
  }
  return std::unique_lock<std::mutex>(mutex_);
}

void WorkerThreads::Schedule(std::function<void()> task) {
  std::unique_lock<std::mutex> lock = Lock();
  const bool has_searcher = tasks_.size() < static_cast<size_t>(searching_);
  const bool wakes = !has_searcher && sleeping_ > wakes_;
  if (!has_searcher && !wakes &&
      threads_.size() < static_cast<size_t>(count_)) {
    StartThread();
  }
  if (threads_.empty()) {
    lock.unlock();
    task();
    return;
  }
  tasks_.push_back(std::move(task));
  has_work_ = true;
  if (!wakes) return;
  ++wakes_;
  lock.unlock();
  woken_.notify_one();
}

int WorkerThreads::CurrentThread() const {
  return current_ != nullptr && current_->pool == this ? current_->id : -1;
}

int WorkerThreads::NumberInPool() {
  return current_ != nullptr ? current_->id : -1;
}

void WorkerThreads::StartThread() {
  Thread& thread = threads_.emplace_back();
  thread.pool = this;
  thread.id = static_cast<int>(threads_.size()) - 1;
  if (pthread_create(&thread.handle, nullptr, RunThread, &thread) != 0) {
    threads_.pop_back();
  }
}

void* WorkerThreads::RunThread(void* thread) {
  const FlushDenormals flush;
  current_ = static_cast<Thread*>(thread);
  static_cast<Thread*>(thread)->pool->RunTasks();
  return nullptr;
}

void WorkerThreads::SearchForWork() const {
  using Clock = std::chrono::steady_clock;
  // Longer than an op that one thread computes, and short enough not to drain a
  // battery.
  constexpr auto kSearchTime = std::chrono::microseconds(200);
  constexpr int kPauses = 32;
  const auto end = Clock::now() + kSearchTime;
  do {
    for (int i = 0; i < kPauses; ++i) {
      if (has_work_.load(std::memory_order_relaxed)) return;
      Pause();
    }
  } while (Clock::now() < end);
}

void WorkerThreads::RunTasks() {
  std::unique_lock<std::mutex> lock = Lock();
  while (true) {
    // One thread less: the caller's thread also needs a core.
    if (!has_work_ && searching_ < count_ - 1) {
      ++searching_;
      lock.unlock();
      SearchForWork();
      lock = Lock();
      --searching_;
    }
    if (!has_work_) {
      ++sleeping_;
      woken_.wait(lock, [this] { return wakes_ > 0 || stopping_; });
      --sleeping_;
      if (wakes_ > 0) --wakes_;
    }
    if (tasks_.empty()) {
      if (stopping_) return;
      continue;
    }
    std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    has_work_ = stopping_ || !tasks_.empty();
    lock.unlock();
    task();
    task = nullptr;
    lock = Lock();
  }
}

}  // namespace tfcarve
