export function takeCheckoutLock(name: string, folder?: string): () => void
