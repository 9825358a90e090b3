// A code block with a copy button. It was highlighted at build time (generate/highlight-code.ts).
import { type ReactElement, type ReactNode, useEffect, useRef, useState } from 'react'

interface CodeBlockProps {
  /** Text without highlighting. */
  readonly children?: ReactNode
  /** Alternative to `children`: escaped HTML. */
  readonly html?: string
  readonly language?: string
  readonly title?: string | undefined
}

const COPIED_MS = 1_500

export default function CodeBlock({ children, html, language = 'text', title }: CodeBlockProps): ReactElement {
  const code = useRef<HTMLElement>(null)
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), COPIED_MS)
    return () => clearTimeout(timer)
  }, [copied])

  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(code.current?.textContent ?? '')
    setCopied(true)
  }
  return (
    <div className={`code language-${language}`}>
      {title !== undefined && <div className="code-title">{title}</div>}
      <div className="code-body">
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls */}
        <pre tabIndex={0}>
          {html === undefined ? (
            <code ref={code}>{children}</code>
          ) : (
            // oxlint-disable-next-line react/no-danger -- generated and escaped by our own build from our own pages
            <code ref={code} dangerouslySetInnerHTML={{ __html: html }} />
          )}
        </pre>
        <button type="button" className="code-copy" aria-label="Copy code" onClick={() => void copy()}>
          {copied ? '✓' : <CopySign />}
        </button>
      </div>
    </div>
  )
}

const CopySign = (): ReactElement => (
  <svg width="16" height="16" viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth="2" aria-hidden>
    <rect x="9" y="9" width="11" height="11" rx="2" />
    <path d="M5 15H4V4h11v1" />
  </svg>
)
