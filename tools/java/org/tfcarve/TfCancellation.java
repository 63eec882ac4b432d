package org.tfcarve;

/**
 * Stops runs from another thread.
 *
 * <p>One cancellation can be used for several runs. Once it is cancelled, later runs with it fail,
 * too.
 */
public final class TfCancellation implements AutoCloseable {
  private final Handle handle = new Handle("the cancellation", Natives.newCancellation());

  /** Ends all runs that have this cancellation before their next op, with the status CANCELLED. */
  public void cancel() {
    handle.use(
        cancellation -> {
          Natives.cancel(cancellation);
          return null;
        });
  }

  /** Frees the cancellation, after the runs that use it have ended. */
  @Override
  public void close() {
    handle.close(Natives::freeCancellation);
  }

  <T> T use(Handle.Use<T> use) {
    return handle.use(use);
  }
}
