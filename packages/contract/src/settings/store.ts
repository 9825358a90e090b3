// Settings of the S3 store for recordings; `BOWLINE_S3_ENDPOINT` requires the bucket, a key id requires its secret.
import * as z from 'zod'
import type { SettingSpec } from './spec.ts'

const server = ['server'] as const
const optional = z.string().min(1).optional()

export const STORE_SETTINGS = {
  BOWLINE_RECORDINGS_DIR: {
    programs: server,
    schema: optional,
    description:
      'Folder of recordings; default: recordings in the data folder. Several nodes without an S3 store need one that they share, as by NFS.',
  },
  BOWLINE_S3_ENDPOINT: {
    programs: server,
    schema: z
      .string()
      .regex(/^https?:\/\/[^/\s?#@]+\/?$/, 'must be http://host[:port] or https://host[:port]')
      .optional(),
    description:
      'Address of an S3 store, without the bucket. With it recordings go there when they are finished; without it they stay in the data folder.',
  },
  BOWLINE_S3_REGION: {
    programs: server,
    schema: z
      .string()
      .regex(/^[a-z0-9-]{1,64}$/, 'must be of lower-case letters, digits and hyphens')
      .default('us-east-1'),
    description: 'Region of the S3 store.',
  },
  BOWLINE_S3_BUCKET: {
    programs: server,
    schema: z
      .string()
      .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'must be 3 to 63 lower-case letters, digits, dots and hyphens')
      .optional(),
    description: 'Bucket of the recordings. It must exist.',
  },
  BOWLINE_S3_PREFIX: {
    programs: server,
    schema: z
      .string()
      .regex(
        /^[A-Za-z0-9._-]+(\/[A-Za-z0-9._-]+)*\/?$/,
        'must be names of letters, digits, dots, - and _ with / between',
      )
      .refine((prefix) => prefix.length <= 200, 'must have at most 200 characters')
      .refine((prefix) => !/(^|\/)\.{1,2}(\/|$)/.test(prefix), 'must not have . or .. as a name')
      .transform((prefix) => prefix.replace(/\/?$/, '/'))
      .optional(),
    description: 'Folder in the bucket, for a bucket that others use too.',
  },
  BOWLINE_S3_ACCESS_KEY_ID: {
    programs: server,
    schema: optional,
    description:
      'Id of the key for the S3 store. Without it the credentials are those that the machine is given as AWS has it: `AWS_*` variables, web identity, the role of a container or an instance.',
  },
  BOWLINE_S3_SECRET_ACCESS_KEY: {
    programs: server,
    schema: optional,
    description: 'Secret of the key for the S3 store; both or none of key id and secret.',
    secret: true,
  },
  BOWLINE_S3_SECRET_ACCESS_KEY_FILE: {
    programs: server,
    schema: optional,
    description: 'File with the secret instead, so that it is not in the environment.',
  },
  BOWLINE_S3_PATH_STYLE: {
    programs: server,
    schema: z.enum(['on', 'off']).default('on'),
    description:
      'on: the bucket is in the path, which every store understands; off: it is a part of the host name, which some demand.',
  },
} as const satisfies Record<string, SettingSpec>
