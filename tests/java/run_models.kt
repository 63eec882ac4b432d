import java.io.File
import org.tfcarve.TfException
import org.tfcarve.TfSession
import org.tfcarve.TfTensor

/** Runs a model as an app in Kotlin does: run_models.kt FOLDER. */
fun main(arguments: Array<String>) {
  val model = File(arguments[0], "product.pb")
  val y = TfSession.fromFile(model).use { session ->
    val x = TfTensor.of(floatArrayOf(0f, 1f, 2f, 3f, 4f, 5f), 2, 3)
    session.run(mapOf("x" to x), "y").getValue("y").floats()
  }
  println("y=${y.toList()}")
  try {
    TfTensor.of(floatArrayOf(1f), 1, 3)
  } catch (error: IllegalArgumentException) {
    println("short=${error.message}")
  }
  try {
    TfSession.fromStream(File(arguments[0], "product.pb").inputStream()).use { it.run(mapOf(), "y") }
  } catch (error: TfException) {
    println("status=${error.status()}")
  }
}
