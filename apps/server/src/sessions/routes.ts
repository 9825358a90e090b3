// Routes of sessions.
import { operations } from '@bowline/contract/operations'
import { type Route, memberRoute } from '../http/route.ts'
import { type CloseConnection, close, get, list, setAuthenticated } from './service.ts'

/** @param closeConnection provided by the gateway, which nouns do not know */
export function sessionRoutes(closeConnection: CloseConnection): Route[] {
  const { sessions } = operations
  return [
    memberRoute(sessions.list, (ctx, { query }) => list(ctx, query)),
    memberRoute(sessions.get, (ctx, { params }) => get(ctx, params.uid)),
    memberRoute(sessions.close, (ctx, { params, body }) => close(ctx, params.uid, body.device, closeConnection)),
    memberRoute(sessions.setAuthenticated, (ctx, { params, body }) =>
      setAuthenticated(ctx, params.uid, body.authenticated),
    ),
  ]
}
