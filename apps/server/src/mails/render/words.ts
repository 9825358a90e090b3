// Values of mails as texts that are safe to show: names that people choose become neither links nor headers.

/** Longest text that a person's own words may take in a mail, in characters. */
const MAX_LENGTH = 100
/** Dots that browsers and mail programs take for the dot of a host name. */
const DOTS = /[.\u3002\uFF0E\uFF61](?=\p{L}{2}|xn--)/gu
/** IPv4 addresses, of which mail programs make links too. */
const ADDRESS = /\b(\d{1,3}\.\d{1,3}\.\d{1,3})\.(\d{1,3})\b/g

/**
 * Text of a person on one line, short, and written so that no mail program makes a link of it: `http://evil.example`
 * becomes `http[:]evil[.]example`.
 */
export function defused(text: string, maxLength = MAX_LENGTH): string {
  const line = text
    .normalize('NFKC')
    // Control and format characters: line breaks, and those that reverse or hide text.
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
  // A cut through a pair of surrogates leaves half a character.
  const short = line.length > maxLength ? `${line.slice(0, maxLength - 1).toWellFormed()}…` : line
  return short
    .replaceAll(/:?\s?\/{2,}/g, '[:]')
    .replaceAll(/\b(mailto|tel|sms|javascript|data|xmpp|ftp|https?):/gi, '$1[:]')
    .replaceAll(DOTS, '[.]')
    .replaceAll(ADDRESS, '$1[.]$2')
    .replaceAll('@', '[@]')
}

/** `2026-11-23 04:17 UTC`; text that is no time as a person's text. @param at ISO 8601 */
export function timeText(at: string): string {
  const time = new Date(at)
  return Number.isNaN(time.getTime()) ? defused(at) : `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

/** `1 hour`, `24 hours`. */
export function count(number: number, unit: string): string {
  return `${number} ${unit}${number === 1 ? '' : 's'}`
}

/** `45 minutes`, `2 hours`, `1 hour 30 minutes`. */
export function duration(minutes: number): string {
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60]
  return [hours > 0 ? count(hours, 'hour') : '', rest > 0 ? count(rest, 'minute') : ''].filter(Boolean).join(' ')
}

/** Text for HTML, attributes included. */
export function escapeHtml(text: string): string {
  const names: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  }
  return text.replaceAll(/[&<>"']/g, (character) => names[character] ?? character)
}
