// Bowline's logo. public/icon.svg is the same drawing.
import { MARK } from '@bowline/browser/brand'

export function Mark({ size = 28 }: { readonly size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden focusable="false">
      <rect width="32" height="32" rx="7" fill={MARK.ground} />
      <g fill="none" stroke={MARK.rope} strokeWidth={MARK.width} strokeLinecap="round">
        <path d={MARK.stem} />
        <path d={MARK.gap} stroke={MARK.ground} strokeWidth={MARK.gapWidth} strokeLinecap="butt" />
        <path d={MARK.loop} />
      </g>
    </svg>
  )
}
