// A QR code, drawn here: the secret in it goes to no service. Black on white in both themes, as cameras expect.
import { encode } from 'uqr'

/** Light modules around the code (ISO/IEC 18004 asks for four). */
const QUIET = 4

export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const { data, size } = encode(text, { border: QUIET, ecc: 'M' })
  const path = data
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
    .filter((part) => part !== '')
    .join('')
  return (
    <svg viewBox={`0 0 ${size} ${size}`} width={208} height={208} shapeRendering="crispEdges">
      <title>{label}</title>
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}
