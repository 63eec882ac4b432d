// Prints the order in which a pool with one thread performs closures of two
// runs: those of the run "low" arrive before those of the run "high".

#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <utility>

#include "tensorflow/core/framework/run_handler.h"
#include "tensorflow/core/platform/blocking_counter.h"
#include "tensorflow/core/platform/notification.h"

namespace {

using tensorflow::RunHandler;
using tensorflow::RunHandlerPool;

std::unique_ptr<RunHandler> NewRun(RunHandlerPool* pool, int priority) {
  tensorflow::RunOptions::Experimental::RunHandlerPoolOptions options;
  options.set_priority(priority);
  return pool->Get(/*step_id=*/0, /*timeout_in_ms=*/0, options);
}

}  // namespace

int main() {
  RunHandlerPool pool(/*num_inter_op_threads=*/1, /*num_intra_op_threads=*/1);
  const std::unique_ptr<RunHandler> low = NewRun(&pool, -1);
  const std::unique_ptr<RunHandler> high = NewRun(&pool, 1);
  // Closures between ops, then parts of ops.
  for (const bool parts : {false, true}) {
    const auto schedule = [&](RunHandler* run, std::function<void()> closure) {
      if (parts) {
        run->AsIntraThreadPoolInterface()->Schedule(std::move(closure));
      } else {
        run->ScheduleInterOpClosure(std::move(closure));
      }
    };
    tensorflow::Notification started, scheduled;
    tensorflow::BlockingCounter left(4);
    schedule(low.get(), [&] {
      started.Notify();
      scheduled.WaitForNotification();
    });
    started.WaitForNotification();
    for (const std::string name : {"1", "2"}) {
      for (RunHandler* run : {low.get(), high.get()}) {
        const std::string text = (run == low.get() ? "low" : "high") + name;
        schedule(run, [&left, text] {
          std::cout << text << std::endl;
          left.DecrementCount();
        });
      }
    }
    scheduled.Notify();
    left.Wait();
  }
  return 0;
}
