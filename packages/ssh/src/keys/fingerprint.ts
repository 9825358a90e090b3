// Fingerprints of public key blobs as OpenSSH prints them. WebCrypto, so it also runs in the browser.

/** `SHA256:` and unpadded base64. */
export async function sha256Fingerprint(blob: Uint8Array): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', Uint8Array.from(blob)))
  const text = Array.from(digest, (byte) => String.fromCodePoint(byte)).join('')
  return `SHA256:${btoa(text).replaceAll('=', '')}`
}
