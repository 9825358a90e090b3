// Pages for unknown addresses: by itself, and beside the side bar.
import { Link } from '@tanstack/react-router'
import { FrontPage } from '../ui/page/front-page.tsx'
import { Page } from '../ui/page/page.tsx'
import { Stack, Text } from '../ui/kit.ts'
import { appMessages as texts } from './messages.ts'

/** For people who are not signed in. */
export function NotFoundPage() {
  return (
    <FrontPage title={texts.notFound} heading={texts.notFound}>
      <NotFoundText />
    </FrontPage>
  )
}

/** Inside of the shell. */
export function NotFoundInShell() {
  return (
    <Page title={texts.notFound}>
      <NotFoundText />
    </Page>
  )
}

function NotFoundText() {
  return (
    <Stack>
      <Text size="sm">{texts.notFoundText}</Text>
      <Link to="/">{texts.toHome}</Link>
    </Stack>
  )
}
