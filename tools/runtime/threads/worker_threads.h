// Threads that compute parts of ops, in addition to the caller's thread.

#ifndef TFCARVE_TOOLS_RUNTIME_THREADS_WORKER_THREADS_H_
#define TFCARVE_TOOLS_RUNTIME_THREADS_WORKER_THREADS_H_

#include <pthread.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>

namespace tfcarve {

// An idle thread searches for a task for a while before it sleeps: the ops of a
// graph follow each other within microseconds, and waking a thread takes tens
// of microseconds. A thread is woken or started only if no thread is searching;
// TensorFlow's pool wakes a thread for each task.
class WorkerThreads {
 public:
  // At most `count` threads, each started when there is a task for it.
  explicit WorkerThreads(int count) : count_(count) {}
  // Waits until all scheduled tasks are done.
  ~WorkerThreads();
  WorkerThreads(const WorkerThreads&) = delete;
  WorkerThreads& operator=(const WorkerThreads&) = delete;

  // Runs the task in this thread if no thread can be started.
  void Schedule(std::function<void()> task);
  int count() const { return count_; }
  // The index of the current thread; -1 if it is not one of these threads.
  int CurrentThread() const;
  // The index of the current thread in its pool; -1 if it is in none.
  static int NumberInPool();

 private:
  struct Thread {
    WorkerThreads* pool;
    int id;
    pthread_t handle;
  };

  static void* RunThread(void* thread);
  std::unique_lock<std::mutex> Lock();
  void RunTasks();
  // Returns when there may be work, or after a time limit.
  void SearchForWork() const;
  // Starts another thread, if the system permits it.
  void StartThread();

  static thread_local const Thread* current_;

  const int count_;
  std::mutex mutex_;
  std::condition_variable woken_;
  std::deque<std::function<void()>> tasks_;
  std::deque<Thread> threads_;
  int searching_ = 0;
  int sleeping_ = 0;
  int wakes_ = 0;  // sleeping threads that have been woken
  // Read without the mutex by searching threads.
  std::atomic<bool> has_work_{false};
  bool stopping_ = false;
};

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_THREADS_WORKER_THREADS_H_
