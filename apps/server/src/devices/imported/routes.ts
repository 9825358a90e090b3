// Route of devices that come from another server.
import { operations } from '@bowline/contract/operations'
import { type Route, memberRoute } from '../../http/route.ts'
import { importDevices } from './import.ts'

export function deviceImportRoutes(): Route[] {
  return [
    memberRoute(operations.deviceImports.create, (ctx, { body }) => importDevices(ctx, body.devices, body.dry_run)),
  ]
}
