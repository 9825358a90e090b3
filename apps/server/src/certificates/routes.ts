// Routes of certificates, for administrators of the instance.
import { operations } from '@bowline/contract/operations'
import { type Route, instanceAdminRoute } from '../http/route.ts'
import { type CertificateDeps, describe } from './service.ts'

export function certificateRoutes(deps: CertificateDeps): Route[] {
  return [instanceAdminRoute(operations.certificates.list, () => describe(deps))]
}
