// Bowline's logo: one rope with a loop that crosses itself, forming a “b”. public/icon.svg is the same drawing.
export function Mark({ size = 28 }: { readonly size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden focusable="false">
      <rect width="32" height="32" rx="7" fill="#0f7285" />
      <g fill="none" stroke="#fff" strokeWidth="2.8" strokeLinecap="round">
        <path d="M11.5 4.5V20" />
        <path d="M15 14.5H8" stroke="#0f7285" strokeWidth="5.8" strokeLinecap="butt" />
        <path d="M11.5 19.5c0 4.5 3 8 7 8s7-2.9 7-6.5-3-6.5-7-6.5H6.8" />
      </g>
    </svg>
  )
}
