/**
 * Resolves in a task of its own: what is waiting, as input and drawing, comes first. Work in pieces with this between them
 * never keeps a slow machine from answering.
 */
export function nextTask(): Promise<void> {
  // Timers wait for milliseconds when they follow each other; messages do not.
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    port1.addEventListener('message', () => resolve(), { once: true })
    port1.start()
    port2.postMessage(undefined)
  })
}
