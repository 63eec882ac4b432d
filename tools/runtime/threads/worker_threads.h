// Threads that compute parts of ops beside the caller's.

#ifndef TFCARVE_TOOLS_RUNTIME_THREADS_WORKER_THREADS_H_
#define TFCARVE_TOOLS_RUNTIME_THREADS_WORKER_THREADS_H_

#include <pthread.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>

namespace tfcarve {

// A thread without a task looks for one for a while before it sleeps: the ops
// of a graph follow each other in microseconds, and to wake a thread takes tens
// of them. A thread is woken, or started, only where none is looking for tasks:
// TensorFlow's own pool wakes one for each task.
class WorkerThreads {
 public:
  // At most `count` threads, each of which is started when there is a task for
  // it.
  explicit WorkerThreads(int count) : count_(count) {}
  // Runs what is scheduled to its end.
  ~WorkerThreads();
  WorkerThreads(const WorkerThreads&) = delete;
  WorkerThreads& operator=(const WorkerThreads&) = delete;

  // Where no thread can be started, the task runs in this one.
  void Schedule(std::function<void()> task);
  int count() const { return count_; }
  // From 0 on; -1 in a thread that is not one of these.
  int CurrentThread() const;

 private:
  struct Thread {
    WorkerThreads* pool;
    int id;
    pthread_t handle;
  };

  static void* RunThread(void* thread);
  void RunTasks();
  // Returns when there may be work, or after a while.
  void LookForWork() const;
  // Starts one more, unless the system refuses.
  void StartThread();

  static thread_local const Thread* current_;

  const int count_;
  std::mutex mutex_;
  std::condition_variable woken_;
  std::deque<std::function<void()>> tasks_;
  std::deque<Thread> threads_;
  int looking_ = 0;
  int sleeping_ = 0;
  int wakes_ = 0;  // sleeping threads that have been woken
  // Read without the mutex by threads that look for work.
  std::atomic<bool> has_work_{false};
  bool stopping_ = false;
};

}  // namespace tfcarve

#endif  // TFCARVE_TOOLS_RUNTIME_THREADS_WORKER_THREADS_H_
