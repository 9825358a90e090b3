import '@bowline/link/api'
