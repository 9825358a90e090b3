// Reads coordinates as people type them.

export interface Position {
  /** Degrees, north positive. NaN: no number, which the contract refuses. */
  readonly latitude: number
  /** Degrees, east positive. */
  readonly longitude: number
}

/** @returns null when both are empty */
export function positionOf({ latitude, longitude }: Readonly<Record<keyof Position, string>>): Position | null {
  if (latitude.trim() === '' && longitude.trim() === '') return null
  return { latitude: degreesOf(latitude), longitude: degreesOf(longitude) }
}

/** With a decimal comma too, and the minus sign of typography. */
function degreesOf(text: string): number {
  const plain = text.trim().replace(',', '.').replace('\u2212', '-').replace(/\s*°$/, '')
  return plain === '' ? Number.NaN : Number(plain)
}
