// Sidebar order of the pages.
import type { SidebarsConfig } from '@docusaurus/plugin-content-docs'

type Items = Extract<SidebarsConfig[string], readonly unknown[]>

/** A group whose title is a page itself. */
const group = (label: string, id: string, items: Items): Items[number] => ({
  type: 'category',
  label,
  link: { type: 'doc', id },
  items,
})
/** A group without a page of its own. */
const heading = (label: string, items: Items): Items[number] => ({ type: 'category', label, items })
const pages = (folder: string, ...names: readonly string[]): Items => names.map((name) => `${folder}/${name}`)

const sidebars: SidebarsConfig = {
  main: [
    'index',
    heading('Overview', [
      group('Getting started', 'overview/getting-started/index', pages('overview/getting-started', 'cloud')),
      ...pages('overview', 'concepts', 'features', 'editions', 'faq'),
      group(
        'Supported platforms',
        'overview/supported-platforms/index',
        pages('overview/supported-platforms', 'buildroot', 'freebsd', 'snap', 'wsl', 'yocto'),
      ),
      ...pages('overview', 'conformance', 'performance'),
    ]),
    group('User guides', 'user-guides/index', [
      heading(
        'Devices',
        pages(
          'user-guides/devices',
          'adding',
          'rolling-out',
          'connecting',
          'terminal',
          'files',
          'finding',
          'map',
          'presence',
          'health',
          'tagging devices',
          'tunnels',
          'containers',
          'existing-agents',
          'without-an-agent',
        ),
      ),
      heading('Firewall', pages('user-guides/firewall', 'create', 'policies', 'access-requests')),
      heading(
        'Namespaces',
        pages(
          'user-guides/namespaces',
          'settings',
          'connection-announcment',
          'retrieving-your-tenant-id',
          'switching',
          'audit-log',
          'audit-streams',
          'alerts',
          'exporting',
          'deleting',
        ),
      ),
      heading(
        'Security',
        pages(
          'user-guides/security',
          'publickey-authentication',
          'keys-in-the-browser',
          'passkeys',
          'second-factor-for-ssh',
        ),
      ),
      heading('Sessions', pages('user-guides/sessions', 'introduction', 'session-recording')),
      heading('Settings', [
        heading(
          'Second factor',
          pages('user-guides/settings/account/mfa', 'about-mfa', 'configure-mfa', 'logging-in', 'recovery-access'),
        ),
        ...pages('user-guides/settings/account', 'profile', 'command-line', 'linked-providers', 'personal-data'),
        heading('API keys', pages('user-guides/settings/namespace/api-keys', 'create', 'use', 'update', 'delete')),
        heading(
          'Members',
          pages(
            'user-guides/settings/namespace/members',
            'invite',
            'accept-invite',
            'edit',
            'remove',
            'roles',
            'provisioning',
          ),
        ),
      ]),
    ]),
    group('Admin guides', 'admin-guides/index', [
      group(
        'Local authentication',
        'admin-guides/authentication/local/index',
        pages('admin-guides/authentication/local', 'configuring', 'enabling-method'),
      ),
      group('SAML', 'admin-guides/authentication/saml/index', [
        group(
          'Configuring',
          'admin-guides/authentication/saml/configuring/index',
          pages(
            'admin-guides/authentication/saml/configuring',
            'enabling-with-metadata',
            'enabling-manual',
            'disabling',
          ),
        ),
        ...pages('admin-guides/authentication/saml', 'authentication', 'mapping', 'signed_authn_requests'),
      ]),
      'admin-guides/authentication/openid',
    ]),
    group(
      'Self-hosted',
      'self-hosted/index',
      pages(
        'self-hosted',
        'deploying',
        'moving',
        'balancers',
        'several-nodes',
        'configuring',
        'mail',
        'billing',
        'administration',
        'monitoring',
        'runbooks',
        'reference',
        'checking',
        'upgrading',
        'troubleshooting',
      ),
    ),
    heading('Developers', [
      heading('Agent', pages('developers/agent', 'installing', 'configuring', 'updating')),
      'developers/development',
      'developers/translating',
      { type: 'link', label: 'OpenAPI', href: '/developers/openapi/' },
    ]),
  ],
}

// oxlint-disable-next-line import/no-default-export -- Docusaurus reads the default export
export default sidebars
