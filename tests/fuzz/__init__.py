"""Whatever they are given, readers give a value or say what is wrong: soon, and in little memory."""
