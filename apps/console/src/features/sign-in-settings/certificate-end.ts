// Certificates that end soon, as the server counts it for its mails.
const SOON_MS = 30 * 86_400_000

/** Those that end within 30 days or have ended, the first to end first. @param now milliseconds since the epoch */
export function endingSoon<T extends { readonly ends_at: string }>(certificates: readonly T[], now: number): T[] {
  return certificates
    .filter(({ ends_at: end }) => Date.parse(end) - now <= SOON_MS)
    .toSorted((a, b) => a.ends_at.localeCompare(b.ends_at))
}
