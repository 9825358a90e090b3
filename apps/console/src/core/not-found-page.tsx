// Page for unknown addresses.
import { Link } from '@tanstack/react-router'
import { FrontPage } from '../ui/page/front-page.tsx'
import { Stack, Text } from '../ui/kit.ts'
import { appMessages as texts } from './messages.ts'

export function NotFoundPage() {
  return (
    <FrontPage title={texts.notFound} heading={texts.notFound}>
      <Stack>
        <Text size="sm">{texts.notFoundText}</Text>
        <Link to="/">{texts.toHome}</Link>
      </Stack>
    </FrontPage>
  )
}
