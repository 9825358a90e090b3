// Day strings for URLs.

/** The day before, in this browser's zone: `2026-11-19`. @param nowMs milliseconds since the epoch */
export function yesterday(nowMs: number): string {
  const date = new Date(nowMs)
  date.setDate(date.getDate() - 1)
  const two = (part: number) => String(part).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}
