import Dispatch
import Glibc
import TensorFlowCarved

// Runs the models of the tests of the C interface, and prints what it finds: NAME=VALUE lines.

let folder = CommandLine.arguments[1]
let runs = Int(CommandLine.arguments[2])!

func session(_ model: String, threads: Int = 1, memoryLimit: Int = 0) throws -> Session {
  try Session(path: "\(folder)/\(model).pb", threads: threads, memoryLimit: memoryLimit)
}

func error(_ name: String, _ call: () throws -> Void) {
  do {
    try call()
    print("error \(name)=none")
  } catch let error as TensorFlowError {
    let message = error.message.split(separator: "\n").joined(separator: " ")
    print("error \(name)=\(error.status)/\(error.node)/\(message)")
  } catch {
    print("error \(name)=\(error)")
  }
}

let path = "\(folder)/product.pb"
let x = try Tensor([0, 1, 2, 3, 4, 5] as [Float], shape: [2, 3])
let product = try Session(path: path)
let found = try product.run(["x": x], outputs: ["y", "top:1"])
let y: [Float] = try found["y"]!.values()
let top: [Int32] = try found["top:1"]!.values()
print("y=\(y)")
print("shape=\(found["y"]!.shape)")
print("top=\(top)")
print("all=\(try product.run(["x": x]).keys.sorted())")
print("inputs=\(product.inputs.map(\.name)) \(product.inputs[0].type!)")
print("empty=\(try product.run(["x": Tensor([] as [Float], shape: [0, 3])], outputs: ["y"])["y"]!.shape)")

let count: [Int32] = try session("loop").run(["n": Tensor(Int32(7))], outputs: ["count"])["count"]!
  .values()
print("count=\(count)")

let text = try session("text")
let texts = try Tensor(strings: ["a", "", "é\0b"], shape: [3])
let joined = try text.run(["text": texts], outputs: ["joined"])["joined"]!.strings()
print("joined=\(joined.map { $0.replacing("\0", with: "0") })")

error("gone") { _ = try session("gone") }
error("graph") { try [1, 2, 3].withUnsafeBytes { _ = try Session(graph: $0) } }
error("threads") { _ = try session("loop", threads: -1) }
error("short") { _ = try Tensor([1] as [Float], shape: [1, 3]) }
error("negative") { _ = try Tensor([] as [Float], shape: [-1]) }
error("large") { _ = try Tensor([1] as [Float], shape: [Int.max, 3]) }
error("type") { let _: [Int32] = try x.values() }
error("strings") { _ = try x.strings() }
error("operands") { _ = try product.run(["x": Tensor([1, 2] as [Float], shape: [1, 2])], outputs: ["y"]) }
error("input") { _ = try product.run(["z": x], outputs: ["y"]) }
error("memory") {
  let dims = try Tensor([1 << 20] as [Int64], shape: [1])
  _ = try session("fill", memoryLimit: 1000).run(["dims": dims], outputs: ["y"])
}

let loop = try session("loop")
let forever = ["n": Tensor(Int32.max)]
error("deadline") { _ = try loop.run(forever, outputs: ["count"], timeoutMilliseconds: 100) }
let cancellation = Cancellation()
DispatchQueue.global().asyncAfter(deadline: .now() + 0.1) { cancellation.cancel() }
error("cancelled") { _ = try loop.run(forever, outputs: ["count"], cancellation: cancellation) }

// Outputs keep the memory of their run, and are equal in all threads.
let kept = try product.run(["x": x], outputs: ["y"])["y"]!
let equal = DispatchQueue(label: "equal")
var different = 0
DispatchQueue.concurrentPerform(iterations: 64) { _ in
  let other: [Float]? = try? product.run(["x": x], outputs: ["y"])["y"]!.values()
  equal.sync { different += other == y ? 0 : 1 }
}
print("different=\(different)")
print("kept=\(try kept.values(of: Float.self) == y)")

/// The memory of the process, in pages.
func resident() -> Int {
  let file = fopen("/proc/self/statm", "r")!
  defer { fclose(file) }
  var line = [CChar](repeating: 0, count: 256)
  fgets(&line, 256, file)
  return Int(String(cString: line).split(separator: " ")[1])!
}

let large = try Tensor([Float](repeating: 1, count: 1024 * 16), shape: [1024, 16])
var before = 0
for run in 0..<runs {
  if run == runs / 2 { before = resident() }
  _ = try session("pass").run(["x": large], outputs: ["same", "sum"])
}
print("grown=\(4 * (resident() - before))")
