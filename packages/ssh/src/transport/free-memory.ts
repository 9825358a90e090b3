/**
 * Gives the memory of bytes back now instead of at the next garbage collection; they are empty afterwards. For what
 * `node:crypto` returns for each packet, which it always allocates: the next packet then gets the same memory, still in
 * the processor's cache. Measured for AES-128-GCM with packets of 32 KiB: 0.16 instead of 0.31 CPU seconds per GB.
 * @param bytes in memory that nobody else refers to
 */
export function freeMemory(bytes: Uint8Array): void {
  // Moving the memory of small ones costs more than to collect them.
  if (bytes.length >= LEAST_BYTES && bytes.buffer instanceof ArrayBuffer) bytes.buffer.transfer(0)
}

const LEAST_BYTES = 4 * 1024
