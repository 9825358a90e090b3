// Folders of the product's built parts, beside the server in a checkout and in a release alike.
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../../../..')

export function productFolders() {
  return {
    console: join(root, 'apps/console/dist'),
    docs: join(root, 'apps/docs/build'),
    install: {
      bundles: join(root, 'apps/agent/dist'),
      /** Builds a bundle; present in a checkout only. */
      maker: join(root, 'scripts/build.ts'),
    },
  }
}
