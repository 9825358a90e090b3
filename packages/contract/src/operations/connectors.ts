// Connectors.
import * as z from 'zod'
import { operation } from '../operation.ts'
import { Page } from '../schemas/common.ts'
import { Connector, ConnectorBody } from '../schemas/connector.ts'

const byUid = z.object({ uid: z.uuid('must be a UUID') })

export const connectors = {
  create: operation({
    method: 'POST',
    path: '/api/connector',
    noun: 'connectors',
    summary: 'Add a Docker engine; 201 when it was saved but cannot be reached',
    access: { kind: 'member', permission: 'connectorSet', keys: true },
    body: ConnectorBody,
    bodyBytes: 262_144,
    // Each call dials.
    cost: 5,
    status: 201,
    errors: ['FRESH_PROOF_REQUIRED', 'POLICY_LIMIT'],
  }),
  list: operation({
    method: 'GET',
    path: '/api/connector',
    noun: 'connectors',
    summary: 'Connectors of the namespace',
    access: { kind: 'member', keys: true },
    query: Page.extend({ enable: z.enum(['true', 'false']).optional() }),
    response: z.array(Connector),
    total: true,
  }),
  get: operation({
    method: 'GET',
    path: '/api/connector/{uid}',
    noun: 'connectors',
    summary: 'One connector',
    access: { kind: 'member', keys: true },
    params: byUid,
    response: Connector,
    errors: ['NOT_FOUND'],
  }),
  update: operation({
    method: 'PATCH',
    path: '/api/connector/{uid}',
    noun: 'connectors',
    summary: 'Change a connector; 201 when it was saved but cannot be reached',
    access: { kind: 'member', permission: 'connectorUpdate', keys: true },
    params: byUid,
    body: ConnectorBody.partial(),
    bodyBytes: 262_144,
    // Each call dials.
    cost: 5,
    status: 201,
    errors: ['FRESH_PROOF_REQUIRED', 'NOT_FOUND'],
  }),
  remove: operation({
    method: 'DELETE',
    path: '/api/connector/{uid}',
    noun: 'connectors',
    summary: 'Remove a connector',
    access: { kind: 'member', permission: 'connectorDelete', keys: true },
    params: byUid,
    errors: ['FRESH_PROOF_REQUIRED', 'NOT_FOUND'],
  }),
  info: operation({
    method: 'GET',
    path: '/api/connector/{uid}/info',
    noun: 'connectors',
    summary: 'Information reported by the Docker engine',
    access: { kind: 'member', keys: true },
    params: byUid,
    response: z.record(z.string(), z.unknown()),
    cost: 5,
    errors: ['NOT_FOUND', 'ENGINE_FAILED'],
  }),
}
