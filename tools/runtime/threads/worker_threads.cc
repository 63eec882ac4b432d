#include "tools/runtime/threads/worker_threads.h"

#include <chrono>
#include <utility>

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

void WorkerThreads::Schedule(std::function<void()> task) {
  std::unique_lock<std::mutex> lock(mutex_);
  const bool is_found = tasks_.size() < static_cast<size_t>(looking_);
  const bool wakes = !is_found && sleeping_ > wakes_;
  if (!is_found && !wakes && threads_.size() < static_cast<size_t>(count_)) {
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

void WorkerThreads::StartThread() {
  Thread& thread = threads_.emplace_back();
  thread.pool = this;
  thread.id = static_cast<int>(threads_.size()) - 1;
  if (pthread_create(&thread.handle, nullptr, RunThread, &thread) != 0) {
    threads_.pop_back();
  }
}

void* WorkerThreads::RunThread(void* thread) {
  current_ = static_cast<Thread*>(thread);
  static_cast<Thread*>(thread)->pool->RunTasks();
  return nullptr;
}

void WorkerThreads::LookForWork() const {
  using Clock = std::chrono::steady_clock;
  // Longer than the ops are that one thread computes, and not so long that it
  // matters to a battery.
  constexpr auto kWhile = std::chrono::microseconds(200);
  constexpr int kPauses = 32;
  const auto end = Clock::now() + kWhile;
  do {
    for (int i = 0; i < kPauses; ++i) {
      if (has_work_.load(std::memory_order_relaxed)) return;
      Pause();
    }
  } while (Clock::now() < end);
}

void WorkerThreads::RunTasks() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    // One thread fewer: the caller's has a core, too.
    if (!has_work_ && looking_ < count_ - 1) {
      ++looking_;
      lock.unlock();
      LookForWork();
      lock.lock();
      --looking_;
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
    lock.lock();
  }
}

}  // namespace tfcarve
