import TensorFlowCore

/// A tensor: a type, a shape, and elements in row-major order.
///
///     let x = try Tensor([0, 1, 2] as [Float], shape: [1, 3])
public struct Tensor {
  /// Where the elements are.
  enum Elements {
    /// Memory that the owner keeps.
    case memory(UnsafeRawBufferPointer, owner: AnyObject)
    case strings([[UInt8]])
  }

  public let type: TensorType
  /// The sizes; none for a scalar.
  public let shape: [Int]
  let elements: Elements

  /// A tensor with a copy of the values.
  ///
  /// - Throws: TensorFlowError if the shape has another number of elements.
  public init<Scalar: TensorScalar>(_ values: [Scalar], shape: [Int]) throws {
    try Tensor.require(shape, count: values.count)
    let memory = AlignedMemory(bytes: values.count * MemoryLayout<Scalar>.stride)
    values.withUnsafeBytes { memory.buffer.copyMemory(from: $0) }
    type = Scalar.tensorType
    self.shape = shape
    elements = .memory(UnsafeRawBufferPointer(memory.buffer), owner: memory)
  }

  /// A scalar.
  public init<Scalar: TensorScalar>(_ value: Scalar) {
    let memory = AlignedMemory(bytes: MemoryLayout<Scalar>.stride)
    withUnsafeBytes(of: value) { memory.buffer.copyMemory(from: $0) }
    type = Scalar.tensorType
    shape = []
    elements = .memory(UnsafeRawBufferPointer(memory.buffer), owner: memory)
  }

  /// A tensor of strings, each a sequence of bytes.
  ///
  /// - Throws: TensorFlowError if the shape has another number of elements.
  public init(bytes values: [[UInt8]], shape: [Int]) throws {
    try Tensor.require(shape, count: values.count)
    type = .string
    self.shape = shape
    elements = .strings(values)
  }

  /// A tensor of strings in UTF-8.
  ///
  /// - Throws: TensorFlowError if the shape has another number of elements.
  public init(strings values: [String], shape: [Int]) throws {
    try self.init(bytes: values.map { Array($0.utf8) }, shape: shape)
  }

  init(type: TensorType, shape: [Int], elements: Elements) {
    self.type = type
    self.shape = shape
    self.elements = elements
  }

  /// Returns a copy of the elements.
  ///
  ///     let y: [Float] = try tensor.values()
  ///
  /// - Throws: TensorFlowError if the elements have another type.
  public func values<Scalar: TensorScalar>(of scalar: Scalar.Type = Scalar.self) throws -> [Scalar] {
    guard type == Scalar.tensorType, case .memory(let memory, let owner) = elements else {
      throw TensorFlowError("the tensor is of \(type), not \(Scalar.tensorType)")
    }
    return withExtendedLifetime(owner) {
      Array(memory.bindMemory(to: Scalar.self))
    }
  }

  /// Returns the elements of a tensor of strings.
  ///
  /// - Throws: TensorFlowError if the elements have another type.
  public func bytes() throws -> [[UInt8]] {
    guard case .strings(let values) = elements else {
      throw TensorFlowError("the tensor is of \(type), not \(TensorType.string)")
    }
    return values
  }

  /// Returns the elements of a tensor of strings as UTF-8.
  ///
  /// - Throws: TensorFlowError if the elements have another type.
  public func strings() throws -> [String] {
    try bytes().map { String(decoding: $0, as: UTF8.self) }
  }

  private static func require(_ shape: [Int], count: Int) throws {
    var expected = 1
    for size in shape {
      let (product, overflows) = expected.multipliedReportingOverflow(by: size)
      guard size >= 0, !overflows else {
        throw TensorFlowError("the shape \(shape) has a size that is negative or too large")
      }
      expected = product
    }
    guard expected == count else {
      throw TensorFlowError("the shape \(shape) has \(expected) elements, but there are \(count)")
    }
  }
}

/// Memory that kernels use in place, because it is aligned.
private final class AlignedMemory {
  private static let alignment = 64
  let buffer: UnsafeMutableRawBufferPointer

  init(bytes: Int) {
    buffer = .allocate(byteCount: bytes, alignment: AlignedMemory.alignment)
  }

  deinit {
    buffer.deallocate()
  }
}
