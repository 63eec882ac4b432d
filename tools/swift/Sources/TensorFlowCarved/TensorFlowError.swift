import TensorFlowCore

/// A model could not be loaded or run, or a tensor does not have what is asked of it.
public struct TensorFlowError: Error, CustomStringConvertible, Equatable {
  /// TensorFlow's name of the error: "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", …
  public let status: String
  /// What went wrong.
  public let message: String
  /// The node that the error is about; "" if it is not about one node.
  public let node: String

  public var description: String { "\(status): \(message)" }

  init(status: Int32, message: UnsafePointer<CChar>, node: UnsafePointer<CChar>?) {
    self.status = String(cString: tfcarve_status_name(status))
    self.message = String(cString: message)
    self.node = node.map { String(cString: $0) } ?? ""
  }

  /// An argument is invalid.
  init(_ message: String) {
    status = "INVALID_ARGUMENT"
    self.message = message
    node = ""
  }
}
