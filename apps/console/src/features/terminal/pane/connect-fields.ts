// Fields of the sign-in form for a device.
export interface ConnectFields {
  readonly username: string
  readonly password: string
  readonly keyText: string
  readonly passphrase: string
}
