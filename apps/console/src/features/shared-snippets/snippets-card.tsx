// The way from the settings to the snippets of the namespace.
import { Link } from '@tanstack/react-router'
import { SectionCard } from '../../ui/page/section-card.tsx'
import { sharedSnippetMessages as texts } from './messages.ts'

export function SnippetsCard() {
  return (
    <SectionCard id="snippets" title={texts.title} text={texts.cardText}>
      <Link to="/settings/snippets">{texts.open}</Link>
    </SectionCard>
  )
}
