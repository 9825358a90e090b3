// Set-up page of a fresh instance, and the error page for an invalid link.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useRuntime } from '../../core/context.tsx'
import { FrontPage } from '../../ui/page/front-page.tsx'
import { Stack, Text } from '../../ui/kit.ts'
import { infoQuery } from '../instance/queries.ts'
import { setupMessages as texts } from './messages.ts'
import { SetupForm } from './setup-form.tsx'

/** `sign`: the signature of the set-up link; undefined when the link has none. */
export function SetupPage({ sign }: { readonly sign: string | undefined }) {
  const { api } = useRuntime()
  const { data: info } = useQuery(infoQuery(api))
  if (info?.setup === true) {
    return (
      <FrontPage title={texts.title} heading={texts.already}>
        <Stack>
          <Text size="sm">{texts.alreadyText}</Text>
          <Link to="/sign-in">{texts.toSignIn}</Link>
        </Stack>
      </FrontPage>
    )
  }
  if (sign === undefined) {
    return (
      <FrontPage title={texts.title} heading={texts.noLink}>
        <Text size="sm">{texts.noLinkText}</Text>
      </FrontPage>
    )
  }
  return (
    <FrontPage title={texts.title} heading={texts.heading} text={texts.text}>
      <SetupForm sign={sign} />
    </FrontPage>
  )
}
