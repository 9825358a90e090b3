// Example values of single sign-on, for {@link WORDS}.

export const SIGN_ON_WORDS = {
  'openid.name': 'Keycloak',
  'openid.issuer': 'https://login.example.com/realms/staff',
  'openid.client_id': 'bowline',
  'openid.client_secret': 'kT3…',
  'openid.group_claim': 'groups',
  'OpenidProvider.name': 'Keycloak',
  'OpenidProvider.issuer': 'https://login.example.com/realms/staff',
  'OpenidProvider.client_id': 'bowline',
  'OpenidProvider.group_claim': 'groups',
  'single-sign-on.metadata_url': 'https://login.example.com/metadata',
  'single-sign-on.signon_url': 'https://login.example.com/sso',
  'single-sign-on.entity_id': 'https://login.example.com/metadata',
  'single-sign-on.email_attribute': 'emailAddress',
  'single-sign-on.name_attribute': 'displayName',
}
