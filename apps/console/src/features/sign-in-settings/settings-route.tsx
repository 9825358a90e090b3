// Binds the page about sign-in to its route.
import { getRouteApi } from '@tanstack/react-router'
import { SignInSettingsPage } from './settings-page.tsx'

const route = getRouteApi('/app/instance/sign-in')

export function SignInSettingsRoute() {
  return <SignInSettingsPage test={route.useSearch().test} />
}
