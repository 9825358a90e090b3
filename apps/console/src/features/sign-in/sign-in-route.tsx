// Binds the sign-in page to its route.
import { getRouteApi } from '@tanstack/react-router'
import { noticeOf } from './notice.ts'
import { SignInPage } from './sign-in-page.tsx'

const route = getRouteApi('/sign-in')

export function SignInRoute() {
  const { expired, sso, missing_assertions: missing, redirect } = route.useSearch()
  return <SignInPage expired={expired === 'yes'} notice={noticeOf(sso, missing)} next={redirect} />
}
