# Signs with a key of Google Cloud KMS, by the gcloud command. Untested: nobody has run it against Google Cloud yet.
#
#   export PACKTOOL_KEY="command:sh sign-gcp-kms.sh"
#
#   GCP_KMS_KEY  projects/P/locations/L/keyRings/R/cryptoKeys/K/cryptoKeyVersions/1: EC_SIGN_P256_SHA256
#
# In CI, a workload identity needs cloudkms.cryptoKeyVersions.useToSign and viewPublicKey on this key, and nothing else.
set -eu
if [ "${1:-}" = public-key ]; then
    gcloud kms keys versions get-public-key "$GCP_KMS_KEY" --output-file /dev/stdout
    exit
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/message"
gcloud kms asymmetric-sign --version "$GCP_KMS_KEY" --digest-algorithm sha256 --input-file "$folder/message" --signature-file "$folder/signature" >&2
cat "$folder/signature"
