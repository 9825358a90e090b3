// A QR code, drawn here: what is in it goes to no service. Black on white in both themes, as cameras expect.
import { useMemo } from 'react'
import { encode } from 'uqr'

/** Modules of light around the code, as ISO/IEC 18004 requires. */
const QUIET = 4

interface QrCodeProps {
  readonly text: string
  /** For people who cannot see it. */
  readonly label: string
  /** Width and height in pixels. */
  readonly size?: number
}

export function QrCode({ text, label, size: pixels = 208 }: QrCodeProps) {
  const { data, size } = useMemo(() => encode(text, { border: QUIET, ecc: 'M' }), [text])
  const path = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : []))).join('')
  return (
    <svg viewBox={`0 0 ${size} ${size}`} width={pixels} height={pixels} shapeRendering="crispEdges">
      <title>{label}</title>
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}
