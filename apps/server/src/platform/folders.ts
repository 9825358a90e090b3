// Folders of the built parts of the product: beside the server in a checkout and in a release alike.
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../../../..')

export function productFolders() {
  return {
    console: join(root, 'apps/console/dist'),
    docs: join(root, 'apps/docs/build'),
    install: {
      bundles: join(root, 'apps/agent/dist'),
      /** Makes a bundle; only a checkout has it. */
      maker: join(root, 'scripts/build.ts'),
    },
  }
}
