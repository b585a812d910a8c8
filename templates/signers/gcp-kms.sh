# Signs with a key of Google Cloud KMS, by the gcloud command. The tests run it with a stand-in for gcloud, which takes the arguments
# that Google documents; nobody has run it against Google Cloud yet.
#
#   export PACKTOOL_KEY="command:sh sign-gcp-kms.sh"
#
#   GCP_KMS_KEY  projects/P/locations/L/keyRings/R/cryptoKeys/K/cryptoKeyVersions/1: EC_SIGN_P256_SHA256
#
# In CI, a workload identity needs cloudkms.cryptoKeyVersions.useToSign and viewPublicKey on this key, and nothing else.
# packtool writes what is to be signed to stdin, and reads the signature. With the argument public-key it asks for the public key.
set -eu
: "${GCP_KMS_KEY:?is not set}"
case $GCP_KMS_KEY in
projects/*/locations/*/keyRings/*/cryptoKeys/*/cryptoKeyVersions/*) ;;
*)
    echo "sign-gcp-kms.sh: GCP_KMS_KEY is projects/P/locations/L/keyRings/R/cryptoKeys/K/cryptoKeyVersions/1" >&2
    exit 1
    ;;
esac
IFS=/ read -r _ project _ location _ ring _ key _ version <<END
$GCP_KMS_KEY
END
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if [ "${1:-}" = public-key ]; then
    gcloud kms keys versions get-public-key "$version" --project "$project" --location "$location" --keyring "$ring" --key "$key" \
        --output-file "$folder/key" >&2
    cat "$folder/key"
    exit
fi
cat >"$folder/message"
gcloud kms asymmetric-sign --project "$project" --location "$location" --keyring "$ring" --key "$key" --version "$version" \
    --digest-algorithm sha256 --input-file "$folder/message" --signature-file "$folder/signature" >&2
# By gcloud's reference the file is in base64, by Google's guide it is the signature itself, which is in DER and begins with "0".
if [ "$(head -c 1 "$folder/signature")" = 0 ]; then
    cat "$folder/signature"
else
    base64 -d "$folder/signature"
fi
