"""Failed calls of a carved library."""


class CallError(Exception):
    """A call failed.

    Attributes:
      code: its tfcarve_status.
      status: the exit status of a program that ends because of it: 1 if the library cannot run the model, 2 if the
        model or the use of the library is invalid.
      node: the node that the error is about, or "".
    """

    def __init__(self, code: int, status: int, message: str, node: str = "") -> None:
        self.code = code
        self.status = status
        self.node = node
        super().__init__(message)
