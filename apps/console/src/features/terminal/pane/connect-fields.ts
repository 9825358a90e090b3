// What people fill in to sign in on a device.
export interface ConnectFields {
  readonly username: string
  readonly password: string
  readonly keyText: string
  readonly passphrase: string
}
