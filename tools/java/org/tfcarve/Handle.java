package org.tfcarve;

import java.util.concurrent.locks.ReentrantReadWriteLock;

/** The address of a native object, which is freed when no thread uses it any more. */
final class Handle {
  /** Code that uses a native object. */
  interface Use<T> {
    T of(long address);
  }

  /** Code that frees a native object. */
  interface Free {
    void free(long address);
  }

  private final String name;
  private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
  private long address;

  Handle(String name, long address) {
    this.name = name;
    this.address = address;
  }

  /** Calls `use` with the address; several threads may do so at the same time. */
  <T> T use(Use<T> use) {
    lock.readLock().lock();
    try {
      if (address == 0) {
        throw new IllegalStateException(name + " is closed");
      }
      return use.of(address);
    } finally {
      lock.readLock().unlock();
    }
  }

  /** Waits until no thread uses the object, and frees it; does nothing if it is freed already. */
  void close(Free free) {
    if (lock.getReadHoldCount() > 0) {
      throw new IllegalStateException(name + " cannot be closed by the thread that uses it");
    }
    lock.writeLock().lock();
    try {
      if (address != 0) {
        free.free(address);
        address = 0;
      }
    } finally {
      lock.writeLock().unlock();
    }
  }
}
