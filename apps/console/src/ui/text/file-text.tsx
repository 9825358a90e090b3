// A button that reads a small text file of the person's machine into a field.
import { useRef } from 'react'
import { Button } from '../kit.ts'

const MAX_BYTES = 64 * 1024

interface FileTextProps {
  readonly label: string
  /** As the `accept` attribute of a file input. */
  readonly accept: string
  /** Called with what the file holds; not for larger files than keys and certificates are. */
  readonly onText: (text: string) => void
}

export function FileText({ label, accept, onText }: FileTextProps) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <Button variant="default" size="compact-sm" mt={6} onClick={() => input.current?.click()}>
        {label}
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        accept={accept}
        onChange={async (event) => {
          const file = event.currentTarget.files?.[0]
          if (file && file.size <= MAX_BYTES) onText(await file.text())
        }}
      />
    </>
  )
}
