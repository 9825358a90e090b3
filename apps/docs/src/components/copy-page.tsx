// Menu to copy or open the page as Markdown.
import { useDoc } from '@docusaurus/plugin-content-docs/client'
import useBaseUrl from '@docusaurus/useBaseUrl'
import { type ReactElement, useState } from 'react'

export function CopyPage(): ReactElement {
  const { metadata } = useDoc()
  const home = useBaseUrl('/')
  const address = metadata.permalink === home ? `${home}index.md` : `${metadata.permalink.replace(/\/$/, '')}.md`
  const [announcement, setAnnouncement] = useState('')

  async function copy(): Promise<void> {
    try {
      const response = await fetch(address)
      if (!response.ok) throw new Error(String(response.status))
      await navigator.clipboard.writeText(await response.text())
      setAnnouncement('Copied')
    } catch {
      setAnnouncement('Not copied')
    }
  }

  return (
    <span className="copy-page">
      <button type="button" onClick={() => void copy()}>
        Copy page as Markdown
      </button>
      <a href={address} data-noBrokenLinkCheck>
        View
      </a>
      <output aria-live="polite">{announcement}</output>
    </span>
  )
}
