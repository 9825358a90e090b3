/**
 * Frees the memory of bytes now instead of at the next garbage collection; they are empty afterwards. For the buffers
 * that `node:crypto` allocates and returns for each packet: the next packet then reuses the same memory, still in the
 * processor's cache. Measured for AES-128-GCM with packets of 32 KiB: 0.16 instead of 0.31 CPU seconds per GB.
 * @param bytes in memory that nobody else refers to
 */
export function freeMemory(bytes: Uint8Array): void {
  // Transferring the memory of small ones costs more than collecting them.
  if (bytes.length >= MIN_BYTES && bytes.buffer instanceof ArrayBuffer) bytes.buffer.transfer(0)
}

const MIN_BYTES = 4 * 1024
