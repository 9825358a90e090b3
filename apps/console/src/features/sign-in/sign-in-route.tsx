// Binds the sign-in page to its route.
import { getRouteApi } from '@tanstack/react-router'
import { SignInPage } from './sign-in-page.tsx'

const route = getRouteApi('/sign-in')

export function SignInRoute() {
  return <SignInPage expired={route.useSearch().expired === 'yes'} />
}
