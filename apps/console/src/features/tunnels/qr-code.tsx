// A QR code, drawn as one path: dark on light in both themes, since many readers know no other.
import { useMemo } from 'react'
import { encode } from 'uqr'
import { Text, VisuallyHidden } from '../../ui/kit.ts'
import classes from './tunnels.module.css'

/** Modules of light around the code, as ISO/IEC 18004 requires. */
const QUIET = 4

export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const { data, size } = useMemo(() => encode(text, { border: QUIET }), [text])
  const path = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : []))).join('')
  return (
    <div className={classes['code']}>
      <svg aria-hidden viewBox={`0 0 ${size} ${size}`} width="256" height="256" shapeRendering="crispEdges">
        <rect width={size} height={size} fill="#fff" />
        <path d={path} fill="#000" />
      </svg>
      <VisuallyHidden>{label}</VisuallyHidden>
      <Text size="xs" c="dimmed">
        {text}
      </Text>
    </div>
  )
}
