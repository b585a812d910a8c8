# Signs with a key that stays in an HSM, a smart card or SoftHSM (PKCS#11), by OpenSC's pkcs11-tool and openssl:
#
#   export PACKTOOL_KEY="command:sh sign-pkcs11.sh"
#
#   PKCS11_MODULE  the library of the HSM, such as /usr/lib/softhsm/libsofthsm2.so
#   PKCS11_TOKEN   the label of the token (slot)
#   PKCS11_LABEL   the label of the key pair, on the curve P-256
#   PKCS11_PIN     the user's PIN; a CI secret, worth nothing without the HSM
#
# packtool writes what is to be signed to stdin, and reads the signature. With the argument public-key it asks for the public key.
set -eu
: "${PKCS11_MODULE:?is not set}" "${PKCS11_TOKEN:?is not set}" "${PKCS11_LABEL:?is not set}"
tool() {
    pkcs11-tool --module "$PKCS11_MODULE" --token-label "$PKCS11_TOKEN" --label "$PKCS11_LABEL" "$@"
}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if [ "${1:-}" = public-key ]; then
    tool --read-object --type pubkey --output-file "$folder/key" >"$folder/said" 2>&1 || {
        echo "sign-pkcs11.sh: pkcs11-tool could not read the public key; look at PKCS11_MODULE, PKCS11_TOKEN and PKCS11_LABEL" >&2
        cat "$folder/said" >&2
        exit 1
    }
    openssl pkey -pubin -inform DER -in "$folder/key"
    exit
fi
# The HSM signs the digest, because what is to be signed may be longer than it takes.
openssl dgst -sha256 -binary >"$folder/digest"
tool --login --pin env:PKCS11_PIN --sign --mechanism ECDSA --signature-format openssl \
    --input-file "$folder/digest" --output-file "$folder/signature" >"$folder/said" 2>&1 || {
    echo "sign-pkcs11.sh: pkcs11-tool could not sign; look at PKCS11_TOKEN, PKCS11_LABEL and PKCS11_PIN" >&2
    cat "$folder/said" >&2
    exit 1
}
cat "$folder/signature"
