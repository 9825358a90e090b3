// Search string of the page that hands over to a tunnel.
import { TunnelVisitBody } from '@bowline/contract/schemas/tunnel'
import { z } from 'zod'

export const VisitSearch = z.object({ path: TunnelVisitBody.shape.path.catch('/') })
