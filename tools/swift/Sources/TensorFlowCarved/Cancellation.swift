import TensorFlowCore

/// Stops runs from another thread. It can be used for several runs; once cancelled, later runs with it fail, too.
public final class Cancellation: @unchecked Sendable {
  let handle: OpaquePointer

  public init() {
    handle = tfcarve_cancellation_new()
  }

  deinit {
    tfcarve_cancellation_free(handle)
  }

  /// Ends all runs that have this cancellation before their next op, with the status CANCELLED.
  public func cancel() {
    tfcarve_cancel(handle)
  }
}
