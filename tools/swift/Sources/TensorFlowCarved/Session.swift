import TensorFlowCore

/// An input or an output as a model declares it.
public struct TensorInfo: Equatable {
  /// "x", or "x:1" for the second output of the node "x".
  public let name: String
  /// nil if the model does not state it.
  public let type: TensorType?
  /// The sizes, nil for any size; nil if the model does not state the shape.
  public let shape: [Int?]?
}

/// A model that is ready to run.
///
///     let session = try Session(path: path)
///     let x = try Tensor([0, 1, 2] as [Float], shape: [1, 3])
///     let y: [Float] = try session.run(["x": x], outputs: ["y"])["y"]!.values()
///
/// Several threads may run the same session at the same time.
public final class Session: @unchecked Sendable {
  private let handle: OpaquePointer
  /// The inputs that the model declares.
  public let inputs: [TensorInfo]
  /// The outputs of the nodes that no other node uses. Other tensors can be computed too.
  public let outputs: [TensorInfo]

  /// Loads a model from a file, which is mapped into memory and must not be modified while the session exists.
  ///
  /// - Parameters:
  ///   - path: of a frozen GraphDef.
  ///   - threads: the number of threads that compute an op: 1 to 1024, or 0 for one per core.
  ///   - memoryLimit: the most memory, in bytes, that the tensors of a run may take; 0 for no limit.
  /// - Throws: TensorFlowError if it is not a model, or needs ops that the library does not have.
  public convenience init(path: String, threads: Int = 0, memoryLimit: Int = 0) throws {
    try self.init(threads: threads, memoryLimit: memoryLimit) { options in
      tfcarve_session_new_from_file(path, options)
    }
  }

  /// Loads a model, a frozen GraphDef, from memory.
  ///
  /// - Throws: TensorFlowError if it is not a model, or needs ops that the library does not have.
  public convenience init(
    graph: UnsafeRawBufferPointer, threads: Int = 0, memoryLimit: Int = 0
  ) throws {
    try self.init(threads: threads, memoryLimit: memoryLimit) { options in
      tfcarve_session_new(graph.baseAddress, graph.count, options)
    }
  }

  private init(
    threads: Int, memoryLimit: Int,
    make: (UnsafePointer<tfcarve_session_options>) -> OpaquePointer?
  ) throws {
    guard let count = Int32(exactly: threads), memoryLimit >= 0 else {
      throw TensorFlowError("threads is \(threads) and memoryLimit \(memoryLimit): expected 0 or more")
    }
    var options = tfcarve_session_options()
    options.struct_size = MemoryLayout<tfcarve_session_options>.size
    options.threads = count
    options.memory_limit = memoryLimit
    let session = make(&options)!
    if let error = tfcarve_session_error(session) {
      defer { tfcarve_session_free(session) }
      throw TensorFlowError(
        status: tfcarve_session_status(session), message: error,
        node: tfcarve_session_error_node(session))
    }
    handle = session
    inputs = Session.infos(session, tfcarve_session_input_count, tfcarve_session_input)
    outputs = Session.infos(session, tfcarve_session_output_count, tfcarve_session_output)
  }

  deinit {
    tfcarve_session_free(handle)
  }

  /// Runs the model once.
  ///
  /// - Parameters:
  ///   - inputs: the values of tensors by name: "x", or "x:1" for the second output of "x".
  ///   - outputs: names of the tensors to compute; none: all outputs that the model declares.
  ///   - timeoutMilliseconds: the time after which the run ends with the status DEADLINE_EXCEEDED; 0 for no limit.
  ///   - cancellation: what another thread can stop the run with.
  /// - Returns: the outputs by name. Their memory is the run's, which is freed with them.
  /// - Throws: TensorFlowError if the run fails.
  public func run(
    _ inputs: [String: Tensor], outputs: [String] = [], timeoutMilliseconds: Int64 = 0,
    cancellation: Cancellation? = nil
  ) throws -> [String: Tensor] {
    let wanted = outputs.isEmpty ? self.outputs.map(\.name) : outputs
    var options = tfcarve_run_options()
    options.struct_size = MemoryLayout<tfcarve_run_options>.size
    options.timeout_ms = timeoutMilliseconds
    options.cancellation = cancellation?.handle
    let feeds = Feeds(inputs)
    let fetches = Texts(wanted)
    let result = RunResult(
      tfcarve_session_run(
        handle, feeds.views, feeds.views.count, fetches.pointers, fetches.pointers.count, &options))
    withExtendedLifetime((feeds, fetches, cancellation)) {}
    if let error = tfcarve_result_error(result.handle) {
      throw TensorFlowError(
        status: tfcarve_result_status(result.handle), message: error,
        node: tfcarve_result_error_node(result.handle))
    }
    var found: [String: Tensor] = [:]
    for (index, name) in wanted.enumerated() {
      found[name] = try result.output(index)
    }
    return found
  }

  private static func infos(
    _ session: OpaquePointer, _ count: (OpaquePointer?) -> Int,
    _ get: (OpaquePointer?, Int, UnsafeMutablePointer<tfcarve_tensor_info>?) -> Int32
  ) -> [TensorInfo] {
    (0..<count(session)).map { index in
      var info = tfcarve_tensor_info()
      _ = get(session, index, &info)
      let dims = UnsafeBufferPointer(start: info.dims, count: max(0, Int(info.rank)))
      return TensorInfo(
        name: String(cString: info.name), type: TensorType(rawValue: info.dtype),
        shape: info.rank < 0 ? nil : dims.map { $0 < 0 ? nil : Int($0) })
    }
  }
}

/// Null-terminated copies of texts.
private final class Texts {
  let pointers: [UnsafePointer<CChar>?]

  init(_ texts: [String]) {
    pointers = texts.map { text in
      let bytes = text.utf8CString
      let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
      bytes.withUnsafeBufferPointer { copy.initialize(from: $0.baseAddress!, count: bytes.count) }
      return UnsafePointer(copy)
    }
  }

  deinit {
    for pointer in pointers { pointer?.deallocate() }
  }
}

/// The inputs of a run as the C interface takes them.
private final class Feeds {
  private let names: Texts
  private let tensors: [Tensor]
  private var allocated: [UnsafeMutableRawPointer] = []
  private(set) var views: [tfcarve_tensor] = []

  init(_ inputs: [String: Tensor]) {
    let ordered = Array(inputs)
    names = Texts(ordered.map(\.key))
    tensors = ordered.map(\.value)
    for (name, tensor) in zip(names.pointers, tensors) {
      views.append(view(name, tensor))
    }
  }

  deinit {
    for pointer in allocated { pointer.deallocate() }
  }

  private func view(_ name: UnsafePointer<CChar>?, _ tensor: Tensor) -> tfcarve_tensor {
    let dims = copy(tensor.shape.map(Int64.init))
    var view = tfcarve_tensor(
      name: name, dtype: tensor.type.rawValue, rank: Int32(tensor.shape.count), dims: dims, data: nil,
      size: 0)
    switch tensor.elements {
    case .memory(let memory, _):
      view.data = memory.baseAddress
      view.size = memory.count
    case .strings(let values):
      let strings = values.map { value in
        tfcarve_string(
          data: UnsafeRawPointer(copy(value)).assumingMemoryBound(to: CChar.self), size: value.count)
      }
      view.data = UnsafeRawPointer(copy(strings))
      view.size = strings.count * MemoryLayout<tfcarve_string>.stride
    }
    return view
  }

  /// Returns a copy of the values that this object frees.
  private func copy<Value>(_ values: [Value]) -> UnsafeMutablePointer<Value> {
    let pointer = UnsafeMutablePointer<Value>.allocate(capacity: max(1, values.count))
    pointer.initialize(from: values, count: values.count)
    allocated.append(UnsafeMutableRawPointer(pointer))
    return pointer
  }
}

/// The outputs of a run; tensors keep it.
private final class RunResult {
  let handle: OpaquePointer

  init(_ handle: OpaquePointer?) {
    self.handle = handle!
  }

  deinit {
    tfcarve_result_free(handle)
  }

  func output(_ index: Int) throws -> Tensor {
    var view = tfcarve_tensor()
    _ = tfcarve_result_get(handle, index, &view)
    guard let type = TensorType(rawValue: view.dtype) else {
      throw TensorFlowError("output \(index) has the type \(view.dtype), which Swift does not have")
    }
    let shape = (0..<Int(view.rank)).map { Int(view.dims[$0]) }
    guard type != .string else {
      let strings = UnsafeRawBufferPointer(start: view.data, count: view.size)
        .bindMemory(to: tfcarve_string.self)
      let values = strings.map { [UInt8](UnsafeRawBufferPointer(start: $0.data, count: $0.size)) }
      return Tensor(type: type, shape: shape, elements: .strings(values))
    }
    let memory = UnsafeRawBufferPointer(start: view.data, count: view.size)
    return Tensor(type: type, shape: shape, elements: .memory(memory, owner: self))
  }
}
